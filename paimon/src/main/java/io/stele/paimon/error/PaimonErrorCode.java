package io.stele.paimon.error;

import io.trino.spi.ErrorCode;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.ErrorType;

/** The error codes of the connector. Numbers never change. */
public enum PaimonErrorCode implements ErrorCodeSupplier {
    /** A request to the store or the metastore failed. */
    PAIMON_STORE_ERROR(0, ErrorType.EXTERNAL),

    /** A file is not what its format demands. */
    PAIMON_BAD_DATA(1, ErrorType.EXTERNAL),

    /** A file of a snapshot is gone: the snapshot expired while the query ran. */
    PAIMON_SNAPSHOT_EXPIRED(2, ErrorType.EXTERNAL),

    /** The store did not say in time whether a commit took place. */
    PAIMON_COMMIT_UNKNOWN(3, ErrorType.EXTERNAL),

    /** An argument of a procedure is not what it demands. */
    PAIMON_BAD_ARGUMENT(4, ErrorType.USER_ERROR);

    // Far from the connector stele's 0x0534_0000 and the ranges of Trino's own connectors
    private static final int BASE = 0x0574_0000;

    private final ErrorCode code;

    PaimonErrorCode(int number, ErrorType type) {
        code = new ErrorCode(BASE + number, name(), type);
    }

    @Override
    public ErrorCode toErrorCode() {
        return code;
    }
}
