package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.objectstore.retrieval.ByteRange;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.BufferChunk;
import org.apache.orc.impl.ReaderImpl;

/**
 * A data reader for the ORC library for one stripe whose metadata are in memory; it fetches the
 * missing data by parallel requests, for point reads. Some of the data may be in memory, too.
 * Confined to one thread.
 */
class StripeDataReader extends ParallelDataReader {
    private final StripeInformation stripe;
    private final StripeMetadata metadata;
    private Map<ByteRange, ByteBuffer> fetched;

    /**
     * @param fetched ranges as the library requests them: see {@link StripeDataRanges}
     */
    StripeDataReader(
            ChecksummedFile content,
            ReaderImpl file,
            StripeInformation stripe,
            StripeMetadata metadata,
            Map<ByteRange, ByteBuffer> fetched) {
        super(content, file);
        this.stripe = requireNonNull(stripe, "stripe is null");
        this.metadata = requireNonNull(metadata, "metadata is null");
        this.fetched = requireNonNull(fetched, "fetched is null");
    }

    /**
     * Drops the fetched data of other row groups, which the library would retain with this reader.
     */
    void dropFetched() {
        fetched = Map.of();
    }

    @Override
    ByteBuffer footer(StripeInformation wanted) {
        if (wanted.getOffset() != stripe.getOffset()) {
            throw new IllegalStateException(
                    "Expected the stripe at %d to be read, found that at %d of %s"
                            .formatted(stripe.getOffset(), wanted.getOffset(), path()));
        }
        return metadata.footer().duplicate();
    }

    @Override
    boolean find(BufferChunk wanted) {
        long indexesEnd = stripe.getOffset() + metadata.indexes().remaining();
        if (wanted.getOffset() < stripe.getOffset() || wanted.getEnd() > indexesEnd) {
            ByteBuffer present = fetched.get(new ByteRange(wanted.getOffset(), wanted.getLength()));
            if (present != null) {
                wanted.setChunk(present.duplicate());
            }
            return present != null;
        }
        int from = (int) (wanted.getOffset() - stripe.getOffset());
        wanted.setChunk(metadata.indexes().slice(from, wanted.getLength()));
        return true;
    }
}
