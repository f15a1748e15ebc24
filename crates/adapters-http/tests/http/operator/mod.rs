mod introspection;
mod leaks;
mod publishing;
mod support;
mod user_data;
