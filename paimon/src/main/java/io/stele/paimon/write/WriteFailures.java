package io.stele.paimon.write;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static io.trino.spi.StandardErrorCode.CONSTRAINT_VIOLATION;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;

import com.google.common.base.Throwables;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.util.concurrent.Callable;

/** The translation of failures in steps of Paimon's writers to Trino's exceptions. Stateless. */
final class WriteFailures {
    private WriteFailures() {}

    /** Runs a step of a writer; throws the translation of its failure. */
    static <T> T run(SchemaTableName table, Callable<T> step) {
        try {
            return step.call();
        } catch (Exception e) {
            throw translate(table, e);
        }
    }

    private static TrinoException translate(SchemaTableName table, Exception failure) {
        for (Throwable cause : Throwables.getCausalChain(failure)) {
            if (cause instanceof TrinoException known) {
                return known;
            }
            String message = String.valueOf(cause.getMessage());
            if (message.startsWith("Cannot write null to non-null column")) {
                return new TrinoException(CONSTRAINT_VIOLATION, message, failure);
            }
            if (message.startsWith("Try to write") && message.contains("new bucket num")) {
                return new TrinoException(
                        NOT_SUPPORTED,
                        "Expected as many buckets as the partition has; to change them, write it"
                                + " with insert_existing_partitions_behavior = 'OVERWRITE': "
                                + message,
                        failure);
            }
        }
        return new TrinoException(
                PAIMON_STORE_ERROR,
                "Cannot write to %s: %s".formatted(table, failure.getMessage()),
                failure);
    }
}
