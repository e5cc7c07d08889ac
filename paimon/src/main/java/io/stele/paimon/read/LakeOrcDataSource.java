package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.trino.orc.DiskRange;
import io.trino.orc.OrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.StreamId;
import io.trino.orc.metadata.StripeInformation;
import io.trino.orc.stream.MemoryOrcDataReader;
import io.trino.orc.stream.OrcDataReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The data source of one ORC file for trino-orc, with metadata from the cache and the data of
 * wanted row groups fetched ahead of the scan. Confined to one driver.
 */
final class LakeOrcDataSource implements OrcDataSource {
    /** Stripes whose indexes and footers are fetched at once. */
    private static final int MAX_STRIPES_AHEAD = 64;

    // In a file whose pages are cached nearby, a wider gap would fetch pages that no one needs
    private static final long PAGED_GAP_BYTES = 64 << 10;
    private static final long DIRECT_GAP_BYTES = 1 << 20;

    private final OrcDataSourceId id;
    private final FileScan scan;
    private final OrcFooter footer;
    private final OrcStripes stripes;
    private final LoadedMetadata metadata;
    private final ReadAhead ahead;
    private final Deque<StripeInformation> notLoaded;
    private final Map<Long, OrcStripe> loaded = new HashMap<>(); // by the offset of the footer
    private FileChunks chunks = new FileChunks(List.of(), 0, (_, _) -> new byte[0]);
    private @Nullable OrcStripe current;
    private int asked; // how many of the stripes not loaded are fetched
    private long loadedBytes;
    private long readBytes;
    private long readNanos;

    LakeOrcDataSource(FileScan scan, OrcFooter footer, OrcStripes stripes) {
        this.id = new OrcDataSourceId(scan.split().path());
        this.scan = requireNonNull(scan, "scan is null");
        this.footer = requireNonNull(footer, "footer is null");
        this.stripes = requireNonNull(stripes, "stripes is null");
        this.metadata = new LoadedMetadata(footer.isCompressed());
        this.ahead = new ReadAhead(scan.file());
        this.notLoaded = new ArrayDeque<>(stripes.wantedStripes());
    }

    /** The reader that returns the metadata of stripes to trino-orc. */
    LoadedMetadata metadata() {
        return metadata;
    }

    /** Starts to fetch the indexes of the next stripes. */
    void fetchIndexes() {
        if (asked == 0) {
            List<StripeInformation> next = notLoaded.stream().limit(MAX_STRIPES_AHEAD).toList();
            stripes.fetchIndexes(next);
            asked = next.size();
        }
    }

    /** Waits for the indexes of the next stripes, and starts to fetch their data. */
    void fetchData() throws IOException {
        while (scan.file().isPrefetching()
                && !notLoaded.isEmpty()
                && loadedBytes < ReadAhead.WINDOW_BYTES) {
            loadNext();
        }
    }

    private void loadNext() throws IOException {
        fetchIndexes();
        StripeInformation information = notLoaded.removeFirst();
        asked--;
        OrcStripe stripe = stripes.load(information);
        loaded.put(footerOffset(information), stripe);
        loadedBytes += bytes(stripe);
        ahead.plan(stripe.ranges());
    }

    private static long bytes(OrcStripe stripe) {
        return stripe.ranges().stream().mapToLong(ReadAhead.Range::length).sum();
    }

    private static long footerOffset(StripeInformation stripe) {
        return stripe.getOffset() + stripe.getIndexLength() + stripe.getDataLength();
    }

    /**
     * Enters the next stripe and returns the ticket of its footer; trino-orc reads nothing else in
     * this way.
     */
    @Override
    public Slice readFully(long position, int length) throws IOException {
        while (!loaded.containsKey(position)) {
            loadNext();
        }
        OrcStripe stripe = requireNonNull(loaded.remove(position));
        loadedBytes -= bytes(stripe);
        fetchData();
        current = stripe;
        metadata.clear();
        chunks =
                new FileChunks(
                        stripe.ranges(),
                        scan.file().isPrefetching() ? PAGED_GAP_BYTES : DIRECT_GAP_BYTES,
                        this::read);
        return metadata.ticket(stripe.footer());
    }

    @Override
    public <K> Map<K, OrcDataReader> readFully(Map<K, DiskRange> ranges) throws IOException {
        OrcStripe stripe = requireNonNull(current, "no stripe was entered");
        Map<K, OrcDataReader> readers = new HashMap<>();
        for (Map.Entry<K, DiskRange> entry : ranges.entrySet()) {
            StreamId stream = (StreamId) entry.getKey();
            DiskRange range = entry.getValue();
            readers.put(
                    entry.getKey(),
                    switch (stream.getStreamKind()) {
                        case ROW_INDEX -> ticket(stripe.rowIndex(stream));
                        case BLOOM_FILTER, BLOOM_FILTER_UTF8 ->
                                ticket(stripes.bloomFilters(stripe, stream));
                        case PRESENT, DATA, LENGTH, DICTIONARY_DATA, DICTIONARY_COUNT, SECONDARY ->
                                new OrcStream(
                                        id,
                                        range.offset(),
                                        range.length(),
                                        footer.isCompressed() ? footer.reader().getBufferSize() : 0,
                                        chunks,
                                        this::read);
                    });
        }
        return readers;
    }

    private OrcDataReader ticket(FileMetadata part) {
        Slice ticket = metadata.ticket(part);
        return new MemoryOrcDataReader(id, ticket, ticket.length());
    }

    private byte[] read(long position, int length) throws IOException {
        long begin = System.nanoTime();
        ahead.advance(position);
        byte[] bytes = scan.file().read(position, length);
        readNanos += System.nanoTime() - begin;
        readBytes += length;
        return bytes;
    }

    @Override
    public Slice readTail(int length) {
        throw new IllegalStateException("Expected reads of stripes, asked for the file's end");
    }

    @Override
    public OrcDataSourceId getId() {
        return id;
    }

    @Override
    public long getReadBytes() {
        return readBytes;
    }

    @Override
    public long getReadTimeNanos() {
        return readNanos;
    }

    @Override
    public long getEstimatedSize() {
        return scan.split().fileSize();
    }

    /** The bytes of the chunks of the current stripe. */
    @Override
    public long getRetainedSize() {
        return chunks.retainedBytes();
    }
}
