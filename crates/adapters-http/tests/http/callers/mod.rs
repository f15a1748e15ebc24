mod credentials;
mod limits;
mod matrix;
mod operator;
