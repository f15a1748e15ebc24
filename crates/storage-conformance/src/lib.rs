//! Every promise of the storage ports as a test that any adapter can run
