package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.metrics.LogMetrics;
import io.stele.storage.encryption.Encryption;
import io.stele.storage.wal.LogFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Log files whose writes and syncs are timed. As safe for threads as what it wraps.
 *
 * @param nanoTime a ticker in nanoseconds
 */
record MeasuredLogFiles(LogFiles files, LogMetrics metrics, LongSupplier nanoTime)
        implements LogFiles {
    MeasuredLogFiles {
        requireNonNull(files, "files is null");
        requireNonNull(metrics, "metrics is null");
        requireNonNull(nanoTime, "nanoTime is null");
    }

    @Override
    public void takeOver(long epoch) throws IOException {
        files.takeOver(epoch);
    }

    @Override
    public boolean isSegmentPerGroup() {
        return files.isSegmentPerGroup();
    }

    @Override
    public Encryption encryption() {
        return files.encryption();
    }

    @Override
    public List<Long> segments() throws IOException {
        return files.segments();
    }

    @Override
    public Writer create(long segment) throws IOException {
        return new MeasuredWriter(files.create(segment), metrics, nanoTime);
    }

    @Override
    public Reader open(long segment) throws IOException {
        return files.open(segment);
    }

    @Override
    public void seal(long segment, long sizeBytes, long rewriteFrom) throws IOException {
        files.seal(segment, sizeBytes, rewriteFrom);
    }

    @Override
    public void delete(long segment) throws IOException {
        files.delete(segment);
    }

    @Override
    public String describe(long segment) {
        return files.describe(segment);
    }

    @Override
    public void close() throws IOException {
        files.close();
    }

    private record MeasuredWriter(Writer writer, LogMetrics metrics, LongSupplier nanoTime)
            implements Writer {
        @Override
        public void append(List<ByteBuffer> buffers) throws IOException {
            long sizeBytes = 0;
            for (ByteBuffer buffer : buffers) {
                sizeBytes += buffer.remaining();
            }
            long start = nanoTime.getAsLong();
            writer.append(buffers);
            metrics.written(sizeBytes, nanoTime.getAsLong() - start);
        }

        @Override
        public void sync() throws IOException {
            long start = nanoTime.getAsLong();
            writer.sync();
            metrics.synced(nanoTime.getAsLong() - start);
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
