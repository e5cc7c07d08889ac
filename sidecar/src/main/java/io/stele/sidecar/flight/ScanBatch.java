package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.flight.FlightData;

/**
 * A message of a scan on its way to its client.
 *
 * @param rowCount 0: the schema
 */
record ScanBatch(FlightData message, long rowCount) {
    private static final int HEAD_BYTES = 512; // of a message, about

    ScanBatch {
        requireNonNull(message, "message is null");
    }

    long sizeBytes() {
        return message.bodySizeBytes() + HEAD_BYTES;
    }
}
