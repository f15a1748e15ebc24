mod credentials;
mod operator;
