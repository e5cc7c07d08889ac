package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.objectstore.retrieval.ByteRange;
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
 * A data reader for the ORC library that reads all required column ranges of a stripe at once, by
 * parallel requests. The library's own reader requests one stream after another. Confined to one
 * thread.
 */
abstract class ParallelDataReader implements DataReader {
    private final ChecksummedFile content;
    private final InStream.StreamOptions options;

    ParallelDataReader(ChecksummedFile content, ReaderImpl file) {
        this.content = requireNonNull(content, "content is null");
        CompressionCodec codec = OrcCodecPool.getCodec(file.getCompressionKind());
        this.options =
                InStream.options().withCodec(codec).withBufferSize(file.getCompressionSize());
    }

    /** The encoded footer of a stripe. */
    abstract ByteBuffer footer(StripeInformation stripe) throws IOException;

    /** Sets the data of a range that is in memory; false if the range must be read. */
    abstract boolean find(BufferChunk wanted);

    static ByteRange footerRange(StripeInformation stripe) {
        return new ByteRange(
                stripe.getOffset() + stripe.getIndexLength() + stripe.getDataLength(),
                Math.toIntExact(stripe.getFooterLength()));
    }

    String path() {
        return content.path();
    }

    @Override
    public void open() {
        // nothing to open
    }

    @Override
    public OrcProto.StripeFooter readStripeFooter(StripeInformation stripe) throws IOException {
        ByteBuffer footer = footer(stripe);
        int length = footer.remaining();
        return OrcProto.StripeFooter.parseFrom(
                InStream.createCodedInputStream(
                        InStream.create("footer", new BufferChunk(footer, 0), 0, length, options)));
    }

    @Override
    public BufferChunkList readFileData(BufferChunkList list, boolean doForceDirect)
            throws IOException {
        List<BufferChunk> wanted = missing(list);
        List<ByteBuffer> read = content.readAll(ranges(wanted));
        for (int i = 0; i < wanted.size(); i++) {
            wanted.get(i).setChunk(read.get(i));
        }
        return list;
    }

    /**
     * The ranges that must be read, in order of their offsets; sets the data of all other ranges.
     */
    final List<BufferChunk> missing(BufferChunkList list) {
        List<BufferChunk> missing = new ArrayList<>();
        for (DiskRangeList at = list.get(); at != null; at = at.next) {
            BufferChunk chunk = (BufferChunk) at;
            if (!chunk.hasData() && chunk.getLength() > 0 && !find(chunk)) {
                missing.add(chunk);
            }
        }
        return missing;
    }

    static List<ByteRange> ranges(List<BufferChunk> chunks) {
        List<ByteRange> ranges = new ArrayList<>();
        chunks.forEach(chunk -> ranges.add(new ByteRange(chunk.getOffset(), chunk.getLength())));
        return ranges;
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

    /** Returns this: the library reads through a copy, and there is no state to copy. */
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
