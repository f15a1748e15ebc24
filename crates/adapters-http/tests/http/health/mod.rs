mod probes;
