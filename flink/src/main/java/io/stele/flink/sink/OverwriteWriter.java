package io.stele.flink.sink;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleClient;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * The writer of an {@link OverwriteSink}, which adds rows to a {@link Replacement} and publishes it
 * after the last one. Owns a client and the replacement; a timer renews it. Confined to the task's
 * thread, which also runs the timers and waits for the sidecar.
 */
final class OverwriteWriter implements SinkWriter<RowData> {
    /** 30 s: several times in the lifetime of a replacement without renewal. */
    private static final Duration RENEWAL_PERIOD = Duration.ofSeconds(30);

    private final SinkTarget target;
    private final SinkWriterMetricGroup metrics;
    private final ProcessingTimeService timers;
    private final Function<SteleClient, Replacement> opening;
    private final SteleClient client;
    private @Nullable Replacement replacement;

    /**
     * A writer of one subtask.
     *
     * @param opening opens the replacement at the first row
     */
    OverwriteWriter(
            SinkTarget target,
            SinkWriterMetricGroup metrics,
            ProcessingTimeService timers,
            Function<SteleClient, Replacement> opening) {
        this.target = requireNonNull(target, "target is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.timers = requireNonNull(timers, "timers is null");
        this.opening = requireNonNull(opening, "opening is null");
        this.client = target.table().connection().open("flink-overwrite");
    }

    @Override
    public void write(RowData row, Context context) throws IOException {
        if (row.getRowKind() != RowKind.INSERT) {
            throw new IOException(
                    "Expected inserted rows only to overwrite table %s of Stele, found a row of kind %s"
                            .formatted(target.table(), row.getRowKind()));
        }
        try {
            open().add(row);
        } catch (SteleException failed) {
            throw failed(failed);
        }
        metrics.getNumRecordsSendCounter().inc();
    }

    private Replacement open() {
        Replacement open = replacement;
        if (open == null) {
            open = opening.apply(client);
            replacement = open;
            renewLater();
        }
        return open;
    }

    private void renewLater() {
        timers.registerTimer(
                timers.getCurrentProcessingTime() + RENEWAL_PERIOD.toMillis(),
                time -> {
                    Replacement open = replacement;
                    if (open != null) {
                        try {
                            open.renew();
                        } catch (SteleException failed) {
                            throw failed(failed);
                        }
                        renewLater();
                    }
                });
    }

    private IOException failed(SteleException failed) {
        metrics.getNumRecordsSendErrorsCounter().inc();
        return new IOException(
                "Cannot overwrite table %s of Stele: %s"
                        .formatted(target.table(), failed.getMessage()),
                failed);
    }

    /** At the end of the input, publishes the replacement, also if it is empty. */
    @Override
    public void flush(boolean endOfInput) throws IOException {
        if (!endOfInput) {
            return;
        }
        try {
            open().publish();
            replacement = null;
        } catch (SteleException failed) {
            throw failed(failed);
        }
    }

    @Override
    public void close() {
        try {
            Replacement unpublished = replacement;
            replacement = null; // stops the timer
            if (unpublished != null) {
                unpublished.discard();
            }
        } finally {
            client.close();
        }
    }
}
