package io.stele.storage.format;

import io.stele.protocol.Lsn;

/**
 * What a stored delete vector holds.
 *
 * @param maxLsn newest deletion; {@link Lsn#MIN} if there is none
 */
public record DeleteVectorSummary(long sizeBytes, int cardinality, Lsn maxLsn) {}
