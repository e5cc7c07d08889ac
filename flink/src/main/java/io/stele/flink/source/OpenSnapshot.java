package io.stele.flink.source;

import io.stele.protocol.Lsn;

/** A leased snapshot: the id of its lease and its LSN. */
public record OpenSnapshot(String id, Lsn lsn) {}
