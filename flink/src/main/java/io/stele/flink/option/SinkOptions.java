package io.stele.flink.option;

import static java.util.Objects.requireNonNull;

import io.stele.client.ClientSettings;
import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/**
 * The options of a sink, except its connection. Immutable, and serialized into jobs.
 *
 * @param bufferRows at-least-once: most rows of a batch
 * @param bufferBytes at-least-once: most bytes of a batch
 * @param bufferInterval at-least-once: longest wait of a row for a batch to fill
 * @param maxInFlightBytes at-least-once: most bytes of unacknowledged batches
 * @param transactionBytes exactly-once: most bytes of rows in a transaction
 * @param checkpointBytes exactly-once: most bytes of rows between two checkpoints
 * @param commitTimeout exactly-once: longest time for which a commit is retried
 * @param commitSchema exactly-once: the schema of the table of commits
 * @param shuffleByShard whether all rows of a shard go to one subtask
 */
public record SinkOptions(
        int bufferRows,
        int bufferBytes,
        Duration bufferInterval,
        long maxInFlightBytes,
        long transactionBytes,
        long checkpointBytes,
        Duration commitTimeout,
        String commitSchema,
        boolean shuffleByShard)
        implements Serializable {
    public SinkOptions {
        requireNonNull(bufferInterval, "bufferInterval is null");
        requireNonNull(commitTimeout, "commitTimeout is null");
        requireNonNull(commitSchema, "commitSchema is null");
    }

    /**
     * The sink options of a table.
     *
     * @throws ValidationException an option is out of its range
     */
    public static SinkOptions of(ReadableConfig config) {
        int rows = config.get(SteleOptions.SINK_BUFFER_FLUSH_MAX_ROWS);
        if (rows < 1) {
            throw new ValidationException(
                    "Expected '%s' >= 1, found %d"
                            .formatted(SteleOptions.SINK_BUFFER_FLUSH_MAX_ROWS.key(), rows));
        }
        SinkOptions options =
                new SinkOptions(
                        rows,
                        (int)
                                bytes(
                                        config,
                                        SteleOptions.SINK_BUFFER_FLUSH_MAX_SIZE,
                                        Integer.MAX_VALUE),
                        config.get(SteleOptions.SINK_BUFFER_FLUSH_INTERVAL),
                        bytes(config, SteleOptions.SINK_MAX_IN_FLIGHT_SIZE, Long.MAX_VALUE),
                        bytes(config, SteleOptions.SINK_TRANSACTION_MAX_SIZE, 1 << 30),
                        bytes(config, SteleOptions.SINK_CHECKPOINT_MAX_SIZE, Long.MAX_VALUE),
                        config.get(SteleOptions.SINK_COMMIT_TIMEOUT),
                        config.get(SteleOptions.SINK_COMMIT_SCHEMA),
                        config.get(SteleOptions.SINK_SHUFFLE_BY_SHARD));
        try {
            options.apply(ClientSettings.DEFAULT);
        } catch (IllegalArgumentException outOfRange) {
            throw new ValidationException(
                    "Expected options of a sink in their ranges: " + outOfRange.getMessage(),
                    outOfRange);
        }
        return options;
    }

    private static long bytes(ReadableConfig config, ConfigOption<MemorySize> option, long most) {
        long bytes = config.get(option).getBytes();
        if (bytes < 1 || bytes > most) {
            throw new ValidationException(
                    "Expected '%s' of 1 to %d bytes, found %d"
                            .formatted(option.key(), most, bytes));
        }
        return bytes;
    }

    /** Adds the batch limits of an at-least-once sink to a client's settings. */
    public ClientSettings apply(ClientSettings settings) {
        return settings.withMaxBatchRows(bufferRows)
                .withMaxBatchBytes(bufferBytes)
                .withLinger(bufferInterval)
                .withMaxInFlightBytes(maxInFlightBytes);
    }
}
