package io.stele.storage.orc;

import static java.util.Objects.requireNonNull;

import io.stele.storage.format.ChecksummedFile;
import io.stele.storage.retrieval.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hive.common.io.DiskRangeList;
import org.apache.orc.CompressionCodec;
import org.apache.orc.DataReader;
import org.apache.orc.OrcProto;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.BufferChunk;
import org.apache.orc.impl.BufferChunkList;
import org.apache.orc.impl.InStream;
import org.apache.orc.impl.OrcCodecPool;
import org.apache.orc.impl.ReaderImpl;

/**
 * Gives the ORC library one stripe of a file whose metadata are in memory: what it wants of the
 * columns' data it gets all at once, by requests side by side. The library's own reader asks for
 * one stream after the other. Confined to one thread.
 */
final class StripeDataReader implements DataReader {
    private final ChecksummedFile content;
    private final StripeInformation stripe;
    private final StripeMetadata metadata;
    private final InStream.StreamOptions options;

    StripeDataReader(
            ChecksummedFile content,
            ReaderImpl file,
            StripeInformation stripe,
            StripeMetadata metadata) {
        this.content = requireNonNull(content, "content is null");
        this.stripe = requireNonNull(stripe, "stripe is null");
        this.metadata = requireNonNull(metadata, "metadata is null");
        CompressionCodec codec = OrcCodecPool.getCodec(file.getCompressionKind());
        this.options =
                InStream.options().withCodec(codec).withBufferSize(file.getCompressionSize());
    }

    @Override
    public void open() {
        // nothing to open
    }

    @Override
    public OrcProto.StripeFooter readStripeFooter(StripeInformation wanted) throws IOException {
        if (wanted.getOffset() != stripe.getOffset()) {
            throw new IllegalStateException(
                    "Expected the stripe at %d to be read, found that at %d of %s"
                            .formatted(stripe.getOffset(), wanted.getOffset(), content.path()));
        }
        ByteBuffer footer = metadata.footer().duplicate();
        int length = footer.remaining();
        return OrcProto.StripeFooter.parseFrom(
                InStream.createCodedInputStream(
                        InStream.create("footer", new BufferChunk(footer, 0), 0, length, options)));
    }

    @Override
    public BufferChunkList readFileData(BufferChunkList list, boolean doForceDirect)
            throws IOException {
        List<BufferChunk> wanted = new ArrayList<>();
        List<ByteRange> ranges = new ArrayList<>();
        for (DiskRangeList at = list.get(); at != null; at = at.next) {
            BufferChunk chunk = (BufferChunk) at;
            if (chunk.hasData() || chunk.getLength() == 0) {
                continue;
            }
            long indexesEnd = stripe.getOffset() + metadata.indexes().remaining();
            if (chunk.getOffset() >= stripe.getOffset() && chunk.getEnd() <= indexesEnd) {
                int from = (int) (chunk.getOffset() - stripe.getOffset());
                chunk.setChunk(metadata.indexes().slice(from, chunk.getLength()));
            } else {
                wanted.add(chunk);
                ranges.add(new ByteRange(chunk.getOffset(), chunk.getLength()));
            }
        }
        List<ByteBuffer> read = content.readAll(ranges);
        for (int i = 0; i < read.size(); i++) {
            wanted.get(i).setChunk(read.get(i));
        }
        return list;
    }

    @Override
    public boolean isTrackingDiskRanges() {
        return false;
    }

    @Override
    public void releaseBuffer(ByteBuffer buffer) {
        // nothing is pooled
    }

    @Override
    public void releaseAllBuffers() {
        // nothing is pooled
    }

    /** The library reads through a copy; there is no state to copy. */
    @Override
    @SuppressWarnings("MethodDoesntCallSuperMethod")
    public DataReader clone() {
        return this;
    }

    @Override
    public void close() {
        // nothing to close
    }

    @Override
    public InStream.StreamOptions getCompressionOptions() {
        return options;
    }
}
