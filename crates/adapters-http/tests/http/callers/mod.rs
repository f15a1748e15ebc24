mod credentials;
mod limits;
mod operator;
