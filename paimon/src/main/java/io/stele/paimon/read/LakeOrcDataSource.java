package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.stele.objectstore.ObjectReader;
import io.trino.orc.AbstractOrcDataSource;
import io.trino.orc.DiskRange;
import io.trino.orc.OrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcReaderOptions;
import io.trino.orc.stream.OrcDataReader;
import java.io.IOException;
import java.util.Map;

/** A file of a lake for trino-orc, of which the ranges of a stripe are fetched together. */
final class LakeOrcDataSource implements OrcDataSource {
    private final Bytes bytes;
    private final ReadAhead ahead;

    LakeOrcDataSource(
            String location, long sizeBytes, ObjectReader file, OrcReaderOptions options) {
        this.bytes = new Bytes(location, sizeBytes, file, options);
        this.ahead = new ReadAhead(file);
    }

    ReadAhead ahead() {
        return ahead;
    }

    @Override
    public <K> Map<K, OrcDataReader> readFully(Map<K, DiskRange> ranges) throws IOException {
        ahead.plan(
                ranges.values().stream()
                        .map(range -> new ReadAhead.Range(range.offset(), range.length()))
                        .toList());
        return bytes.readFully(ranges);
    }

    @Override
    public Slice readFully(long position, int length) throws IOException {
        return bytes.readFully(position, length);
    }

    @Override
    public Slice readTail(int length) throws IOException {
        return bytes.readTail(length);
    }

    @Override
    public OrcDataSourceId getId() {
        return bytes.getId();
    }

    @Override
    public long getReadBytes() {
        return bytes.getReadBytes();
    }

    @Override
    public long getReadTimeNanos() {
        return bytes.getReadTimeNanos();
    }

    @Override
    public long getEstimatedSize() {
        return bytes.getEstimatedSize();
    }

    @Override
    public long getRetainedSize() {
        return bytes.getRetainedSize();
    }

    /** The file range by range. */
    private static final class Bytes extends AbstractOrcDataSource {
        private final ObjectReader file;

        Bytes(String location, long sizeBytes, ObjectReader file, OrcReaderOptions options) {
            super(new OrcDataSourceId(location), sizeBytes, options);
            this.file = requireNonNull(file, "file is null");
        }

        @Override
        protected void readInternal(
                long position, byte[] buffer, int bufferOffset, int bufferLength)
                throws IOException {
            file.read(position, buffer, bufferOffset, bufferLength);
        }
    }
}
