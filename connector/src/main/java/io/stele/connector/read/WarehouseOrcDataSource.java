package io.stele.connector.read;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.stele.storage.format.ChecksummedFile;
import io.stele.storage.objectstore.ReadTally;
import io.trino.orc.AbstractOrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcReaderOptions;
import java.io.IOException;

/**
 * One ORC file of the warehouse, every read of which is checked; what lies in the file's tail comes
 * from memory. Confined to one thread.
 */
final class WarehouseOrcDataSource extends AbstractOrcDataSource {
    private final ChecksummedFile file;
    private final FileTails tails;
    private final boolean keepsTail;

    /**
     * @param keepsTail whether the file's tail comes from {@code tails}
     */
    WarehouseOrcDataSource(
            ChecksummedFile file, FileTails tails, boolean keepsTail, OrcReaderOptions options) {
        super(new OrcDataSourceId(file.path()), file.sizeBytes(), options);
        this.file = requireNonNull(file, "file is null");
        this.tails = requireNonNull(tails, "tails is null");
        this.keepsTail = keepsTail;
    }

    ChecksummedFile file() {
        return file;
    }

    /** What was read and what of that came from the warehouse. */
    ReadTally tally() {
        return file.unchecked().tally();
    }

    @Override
    protected Slice readTailInternal(int length) throws IOException {
        byte[] tail = keepsTail ? tails.load(file, length) : FileTails.read(file, length);
        int wanted = (int) Math.min(length, getEstimatedSize());
        return Slices.wrappedBuffer(tail, tail.length - wanted, wanted);
    }

    @Override
    protected void readInternal(long position, byte[] buffer, int bufferOffset, int bufferLength)
            throws IOException {
        file.read(position, buffer, bufferOffset, bufferLength);
    }
}
