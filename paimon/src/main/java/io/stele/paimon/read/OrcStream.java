package io.stele.paimon.read;

import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.stream.OrcDataReader;
import java.io.IOException;

/**
 * The bytes of one column's stream in an ORC stripe for trino-orc, from planned chunks, or else
 * read piece by piece. Confined to one driver.
 */
final class OrcStream implements OrcDataReader {
    private static final int HEADER_BYTES = 3;

    /** The least bytes of a piece of a large stream. */
    private static final int PIECE_BYTES = 1 << 20;

    private final OrcDataSourceId id;
    private final long offset;
    private final int length;
    private final int blockBytes;
    private final FileChunks chunks;
    private final FileChunks.Reader reader;
    private byte[] piece = {};

    /**
     * @param blockBytes the largest size of a block; 0: the stream is not compressed
     */
    OrcStream(
            OrcDataSourceId id,
            long offset,
            int length,
            int blockBytes,
            FileChunks chunks,
            FileChunks.Reader reader) {
        this.id = requireNonNull(id, "id is null");
        this.offset = offset;
        this.length = length;
        this.blockBytes = blockBytes;
        this.chunks = requireNonNull(chunks, "chunks is null");
        this.reader = requireNonNull(reader, "reader is null");
    }

    @Override
    public OrcDataSourceId getOrcDataSourceId() {
        return id;
    }

    /** Chunks are counted by the data source. */
    @Override
    public long getRetainedSize() {
        return sizeOf(piece);
    }

    @Override
    public int getSize() {
        return length;
    }

    @Override
    public int getMaxBufferSize() {
        return length;
    }

    @Override
    public Slice seekBuffer(int position) throws IOException {
        Slice found = chunks.find(offset + position);
        int left = length - position;
        if (found != null) {
            Slice ofStream = found.slice(0, Math.min(found.length(), left));
            if (ofStream.length() == left || hasBlock(ofStream)) {
                return ofStream;
            }
        }
        int wanted = Math.min(left, Math.max(PIECE_BYTES, HEADER_BYTES + blockBytes));
        piece = reader.read(offset + position, wanted);
        return Slices.wrappedBuffer(piece);
    }

    /** Whether the bytes contain their whole first block. */
    private boolean hasBlock(Slice bytes) {
        if (blockBytes == 0) {
            return bytes.length() > 0;
        }
        if (bytes.length() < HEADER_BYTES) {
            return false;
        }
        int blockLength =
                (bytes.getUnsignedByte(2) << 15)
                        | (bytes.getUnsignedByte(1) << 7)
                        | (bytes.getUnsignedByte(0) >>> 1);
        return bytes.length() >= HEADER_BYTES + blockLength;
    }
}
