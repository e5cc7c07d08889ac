package io.stele.storage.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Log files on a disk of limited size whose syncs can be made to fail. A write that does not fit is
 * written as far as it does.
 */
public final class LimitedLogFiles implements LogFiles {
    private final LogFiles files;
    private final AtomicLong freeBytes;
    private final AtomicBoolean failingSync = new AtomicBoolean();

    public LimitedLogFiles(LogFiles files, long freeBytes) {
        this.files = files;
        this.freeBytes = new AtomicLong(freeBytes);
    }

    /** From now on every sync fails. */
    public void failSyncs() {
        failingSync.set(true);
    }

    @Override
    public List<Long> segments() throws IOException {
        return files.segments();
    }

    @Override
    public Writer create(long segment) throws IOException {
        return new LimitedWriter(files.create(segment));
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

    private final class LimitedWriter implements Writer {
        private final Writer writer;

        LimitedWriter(Writer writer) {
            this.writer = writer;
        }

        @Override
        public void append(List<ByteBuffer> buffers) throws IOException {
            List<ByteBuffer> fitting = new ArrayList<>();
            boolean full = false;
            for (ByteBuffer buffer : buffers) {
                int count = (int) Math.min(buffer.remaining(), freeBytes.get());
                fitting.add(buffer.slice(buffer.position(), count));
                freeBytes.addAndGet(-count);
                full |= count < buffer.remaining();
            }
            writer.append(fitting);
            if (full) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public void sync() throws IOException {
            if (failingSync.get()) {
                throw new IOException("Input/output error");
            }
            writer.sync();
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
