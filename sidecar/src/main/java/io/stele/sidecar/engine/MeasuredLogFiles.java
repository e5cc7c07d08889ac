package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.ForwardingLogFiles;
import io.stele.engine.wal.LogFiles;
import io.stele.sidecar.metrics.LogMetrics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A decorator of the write-ahead log's files that times writes and syncs for metrics. It is as
 * thread-safe as the files that it wraps.
 */
final class MeasuredLogFiles extends ForwardingLogFiles {
    private final LogMetrics metrics;
    private final LongSupplier nanoTime;

    /**
     * @param nanoTime a ticker in nanoseconds
     */
    MeasuredLogFiles(LogFiles files, LogMetrics metrics, LongSupplier nanoTime) {
        super(files);
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    @Override
    public Writer create(long segment) throws IOException {
        return new MeasuredWriter(super.create(segment));
    }

    private final class MeasuredWriter extends ForwardingWriter {
        MeasuredWriter(Writer writer) {
            super(writer);
        }

        @Override
        public void append(List<ByteBuffer> buffers) throws IOException {
            long sizeBytes = 0;
            for (ByteBuffer buffer : buffers) {
                sizeBytes += buffer.remaining();
            }
            long start = nanoTime.getAsLong();
            super.append(buffers);
            metrics.written(sizeBytes, nanoTime.getAsLong() - start);
        }

        @Override
        public void sync() throws IOException {
            long start = nanoTime.getAsLong();
            super.sync();
            metrics.synced(nanoTime.getAsLong() - start);
        }
    }
}
