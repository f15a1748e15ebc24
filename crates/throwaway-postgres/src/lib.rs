//! A fresh Postgres cluster for one test or bench run, gone with the process
