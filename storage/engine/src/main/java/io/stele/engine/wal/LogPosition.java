package io.stele.engine.wal;

import io.stele.protocol.Lsn;

/**
 * The position of a durable record in the log: its LSN, the number of its segment, and the offset
 * of its group in that segment.
 */
public record LogPosition(Lsn lsn, long segment, long groupOffset) {}
