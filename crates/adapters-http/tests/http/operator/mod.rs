mod introspection;
mod leaks;
mod publishing;
mod support;
