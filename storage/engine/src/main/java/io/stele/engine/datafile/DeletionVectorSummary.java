package io.stele.engine.datafile;

import io.stele.protocol.Lsn;

/**
 * The size, cardinality and newest LSN of a stored deletion vector.
 *
 * @param maxLsn LSN of the newest deletion; {@link Lsn#MIN} if there is none
 */
public record DeletionVectorSummary(long sizeBytes, int cardinality, Lsn maxLsn) {}
