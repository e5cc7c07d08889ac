package io.stele.connector.read.file;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.orc.DiskRange;
import io.trino.orc.OrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.metadata.StripeInformation;
import io.trino.orc.stream.MemoryOrcDataReader;
import io.trino.orc.stream.OrcDataReader;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A data source of trino-orc over a column file, which serves row indexes and stripe footers from
 * {@link FileMetadataCache}. If trino-orc reads row indexes, it also reads up to 8 MB of
 * neighbouring data. Without row indexes in its reads, it reads a column only when a page's values
 * are requested, which does not happen if they are in {@code DecodedColumnCache}. Confined to one
 * thread.
 */
final class CachedStripesDataSource implements OrcDataSource {
    private final WarehouseOrcDataSource source;
    private final FileMetadataCache fileMetadata;
    private final NavigableMap<Long, StripeInformation> stripes = new TreeMap<>();

    CachedStripesDataSource(
            WarehouseOrcDataSource source,
            FileMetadataCache fileMetadata,
            List<StripeInformation> stripes) {
        this.source = requireNonNull(source, "source is null");
        this.fileMetadata = requireNonNull(fileMetadata, "fileMetadata is null");
        for (StripeInformation stripe : stripes) {
            if (RawStripeMetadata.isCacheable(stripe)) {
                this.stripes.put(stripe.getOffset(), stripe);
            }
        }
    }

    @Override
    public Slice readFully(long position, int length) throws IOException {
        Optional<StripeInformation> stripe = stripeAt(position);
        if (stripe.isPresent()
                && position == RawStripeMetadata.footerOffset(stripe.get())
                && length == stripe.get().getFooterLength()) {
            return Slices.wrappedBuffer(fileMetadata.stripe(source.file(), stripe.get()).footer());
        }
        return source.readFully(position, length);
    }

    @Override
    public <K> Map<K, OrcDataReader> readFully(Map<K, DiskRange> ranges) throws IOException {
        ImmutableMap.Builder<K, OrcDataReader> readers = ImmutableMap.builder();
        Map<K, DiskRange> others = new HashMap<>();
        for (Map.Entry<K, DiskRange> entry : ranges.entrySet()) {
            DiskRange range = entry.getValue();
            Optional<StripeInformation> stripe = stripeAt(range.offset());
            if (stripe.isPresent() && isOfIndex(range, stripe.get())) {
                byte[] index = fileMetadata.stripe(source.file(), stripe.get()).index();
                int start = (int) (range.offset() - stripe.get().getOffset());
                Slice bytes = Slices.wrappedBuffer(index, start, range.length());
                readers.put(entry.getKey(), new MemoryOrcDataReader(getId(), bytes, 0));
            } else {
                others.put(entry.getKey(), range);
            }
        }
        return readers.putAll(source.readFully(others)).buildOrThrow();
    }

    private Optional<StripeInformation> stripeAt(long position) {
        return Optional.ofNullable(stripes.floorEntry(position)).map(Map.Entry::getValue);
    }

    private static boolean isOfIndex(DiskRange range, StripeInformation stripe) {
        return range.end() <= stripe.getOffset() + stripe.getIndexLength();
    }

    @Override
    public OrcDataSourceId getId() {
        return source.getId();
    }

    @Override
    public long getReadBytes() {
        return source.getReadBytes();
    }

    @Override
    public long getReadTimeNanos() {
        return source.getReadTimeNanos();
    }

    @Override
    public long getEstimatedSize() {
        return source.getEstimatedSize();
    }

    @Override
    public long getRetainedSize() {
        return source.getRetainedSize();
    }

    @Override
    public Slice readTail(int length) throws IOException {
        return source.readTail(length);
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
