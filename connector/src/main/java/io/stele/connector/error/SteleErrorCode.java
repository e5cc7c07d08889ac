package io.stele.connector.error;

import static io.trino.spi.ErrorType.EXTERNAL;
import static io.trino.spi.ErrorType.INTERNAL_ERROR;
import static io.trino.spi.ErrorType.USER_ERROR;

import io.trino.spi.ErrorCode;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.ErrorType;

/**
 * The connector's error codes for failures that Trino's own codes do not cover. Numbers never
 * change meaning.
 */
public enum SteleErrorCode implements ErrorCodeSupplier {
    /** The sidecar cannot be reached or is not ready. */
    STELE_UNAVAILABLE(0, EXTERNAL),
    /** The sidecar has reached a limit on queued work. */
    STELE_BUSY(1, EXTERNAL),
    /** The snapshot of the query is gone. */
    STELE_SNAPSHOT_EXPIRED(2, EXTERNAL),
    /** Bytes of a file or a reply are not what they must be. */
    STELE_CORRUPT_DATA(3, EXTERNAL),
    /** The warehouse cannot be read or written. */
    STELE_STORE_FAILED(4, EXTERNAL),
    /** The table changed between planning and execution. */
    STELE_STALE_TABLE(5, EXTERNAL),
    /** The shared secret of the catalog is not the sidecar's. */
    STELE_UNAUTHENTICATED(6, USER_ERROR),
    /** The transaction of a write is gone: the sidecar was restarted, or it took too long. */
    STELE_TRANSACTION_LOST(7, EXTERNAL),
    /** A broken invariant of Stele. */
    STELE_INTERNAL(8, INTERNAL_ERROR);

    // 0x0534_0000: far from the ranges of Trino's own connectors
    private static final int BASE = 0x0534_0000;

    private final ErrorCode errorCode;

    SteleErrorCode(int offset, ErrorType type) {
        this.errorCode = new ErrorCode(BASE + offset, name(), type);
    }

    @Override
    public ErrorCode toErrorCode() {
        return errorCode;
    }
}
