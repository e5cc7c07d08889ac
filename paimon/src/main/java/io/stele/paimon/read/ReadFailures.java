package io.stele.paimon.read;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_BAD_DATA;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_SNAPSHOT_EXPIRED;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;

import io.trino.orc.OrcCorruptionException;
import io.trino.parquet.ParquetCorruptionException;
import io.trino.spi.TrinoException;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/**
 * The translation of failures in reading a data file to Trino's exceptions, which name the file.
 * Stateless.
 */
final class ReadFailures {
    private ReadFailures() {}

    /**
     * @param location of the file
     */
    static TrinoException translate(String location, Throwable failure) {
        if (failure instanceof TrinoException known) {
            return known;
        }
        if (findMissing(failure).isPresent()) {
            return new TrinoException(
                    PAIMON_SNAPSHOT_EXPIRED,
                    "Expected file %s, found none: its snapshot has probably expired while the query ran"
                            .formatted(location),
                    failure);
        }
        boolean isStore = failure instanceof IOException || failure instanceof UncheckedIOException;
        return isStore && !isDamage(failure)
                ? new TrinoException(
                        PAIMON_STORE_ERROR,
                        "Cannot read %s: %s".formatted(location, failure.getMessage()),
                        failure)
                : new TrinoException(
                        PAIMON_BAD_DATA,
                        "Expected a readable data file, found in %s: %s"
                                .formatted(location, failure),
                        failure);
    }

    /** The first of a failure and its causes that reports an absent file. */
    static Optional<Throwable> findMissing(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof FileNotFoundException || at instanceof NoSuchFileException) {
                return Optional.of(at);
            }
        }
        return Optional.empty();
    }

    private static boolean isDamage(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof OrcCorruptionException
                    || at instanceof ParquetCorruptionException
                    || at instanceof EOFException) {
                return true;
            }
        }
        return false;
    }
}
