package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.encryption.Encryption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A base class of decorators of log files: it forwards every call that a subclass does not
 * override. As thread-safe as the log files that it wraps.
 */
public abstract class ForwardingLogFiles implements LogFiles {
    private final LogFiles files;

    protected ForwardingLogFiles(LogFiles files) {
        this.files = requireNonNull(files, "files is null");
    }

    @Override
    public void takeOver(long epoch, LogId logId) throws IOException {
        files.takeOver(epoch, logId);
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
    public long usableBytes() throws IOException {
        return files.usableBytes();
    }

    @Override
    public List<Long> segments() throws IOException {
        return files.segments();
    }

    @Override
    public Writer create(long segment) throws IOException {
        return files.create(segment);
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
    public void delete(List<Long> segments) throws IOException {
        files.delete(segments);
    }

    @Override
    public String describe(long segment) {
        return files.describe(segment);
    }

    @Override
    public void close() throws IOException {
        files.close();
    }

    /**
     * A base class of decorators of writers: it forwards every call that a subclass does not
     * override.
     */
    protected abstract static class ForwardingWriter implements Writer {
        private final Writer writer;

        protected ForwardingWriter(Writer writer) {
            this.writer = requireNonNull(writer, "writer is null");
        }

        @Override
        public void append(List<ByteBuffer> buffers) throws IOException {
            writer.append(buffers);
        }

        @Override
        public void sync() throws IOException {
            writer.sync();
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
