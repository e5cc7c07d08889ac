package io.stele.connector.read.opening;

import io.stele.connector.error.SteleErrorCode;
import io.stele.connector.error.SteleErrors;
import io.stele.protocol.SteleException;
import io.trino.orc.OrcCorruptionException;
import io.trino.spi.TrinoException;
import java.io.IOException;

/** The translation of failures in reads of column files into Trino exceptions. Stateless. */
final class FileFailures {
    private FileFailures() {}

    static TrinoException failed(String path, IOException e) {
        if (e instanceof OrcCorruptionException) {
            return new TrinoException(
                    SteleErrorCode.STELE_CORRUPT_DATA,
                    "Expected a readable ORC file, found in %s: %s".formatted(path, e.getMessage()),
                    e);
        }
        return SteleErrors.storeFailed("read", path, e);
    }

    static RuntimeException translate(String path, Exception failure) {
        return switch (failure) {
            case TrinoException known -> known;
            case SteleException stele -> SteleErrors.translate(stele);
            case IOException io -> failed(path, io);
            case RuntimeException other -> other;
            default -> new TrinoException(SteleErrorCode.STELE_INTERNAL, failure);
        };
    }
}
