package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.flight.FlightData;

/**
 * An Arrow message that a scan's fragment has made for its client, and its row count.
 *
 * @param rowCount 0: the schema
 */
record ScanBatch(FlightData message, long rowCount) {
    private static final int HEAD_BYTES = 512; // approximate, of a message

    ScanBatch {
        requireNonNull(message, "message is null");
    }

    long sizeBytes() {
        return message.bodySizeBytes() + HEAD_BYTES;
    }
}
