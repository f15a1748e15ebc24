mod credentials;
mod limits;
mod matrix;
mod operator;
mod unknown_members;
