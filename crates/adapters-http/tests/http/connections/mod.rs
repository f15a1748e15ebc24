mod maximum;
mod pipelining;
