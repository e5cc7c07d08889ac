package io.stele.paimon.read;

import static com.google.common.base.Preconditions.checkState;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.orc.metadata.ColumnMetadata;
import io.trino.orc.metadata.Footer;
import io.trino.orc.metadata.Metadata;
import io.trino.orc.metadata.MetadataReader;
import io.trino.orc.metadata.OrcType;
import io.trino.orc.metadata.PostScript;
import io.trino.orc.metadata.PostScript.HiveWriterVersion;
import io.trino.orc.metadata.RowGroupIndex;
import io.trino.orc.metadata.StripeFooter;
import io.trino.orc.metadata.statistics.BloomFilter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/**
 * A metadata reader for trino-orc that returns stripe metadata that is decoded already, instead of
 * decoding it from the file. In place of the file's bytes, trino-orc reads a ticket, the number of
 * the decoded part. Confined to one driver.
 */
final class LoadedMetadata implements MetadataReader {
    private static final int HEADER_BYTES = 3;

    private final boolean isCompressed;
    private final List<FileMetadata> parts = new ArrayList<>();

    /**
     * @param isCompressed whether trino-orc decompresses tickets
     */
    LoadedMetadata(boolean isCompressed) {
        this.isCompressed = isCompressed;
    }

    /** Forgets all tickets. */
    void clear() {
        parts.clear();
    }

    /** The bytes by which trino-orc requests a part. */
    Slice ticket(FileMetadata part) {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + Integer.BYTES);
        if (isCompressed) {
            // The header of a block that is stored as it is
            bytes.put((byte) (Integer.BYTES << 1 | 1)).put((byte) 0).put((byte) 0);
        }
        bytes.putInt(parts.size());
        parts.add(part);
        return Slices.wrappedBuffer(bytes.array(), 0, bytes.position());
    }

    private <T extends FileMetadata> T take(InputStream ticket, Class<T> type) throws IOException {
        byte[] number = ticket.readNBytes(Integer.BYTES);
        checkState(number.length == Integer.BYTES, "a ticket has %s bytes", number.length);
        return type.cast(parts.get(ByteBuffer.wrap(number).getInt()));
    }

    @Override
    public StripeFooter readStripeFooter(
            ColumnMetadata<OrcType> types, InputStream inputStream, ZoneId legacyFileTimeZone)
            throws IOException {
        return take(inputStream, OrcStripeFooter.class).footer();
    }

    @Override
    public List<RowGroupIndex> readRowIndexes(
            HiveWriterVersion hiveWriterVersion, InputStream inputStream) throws IOException {
        return take(inputStream, OrcRowIndex.class).groups();
    }

    @Override
    public List<BloomFilter> readBloomFilterIndexes(InputStream inputStream) throws IOException {
        return take(inputStream, OrcBloomFilters.class).filters();
    }

    @Override
    public PostScript readPostScript(InputStream inputStream) {
        throw notOfStripes();
    }

    @Override
    public Metadata readMetadata(HiveWriterVersion hiveWriterVersion, InputStream inputStream) {
        throw notOfStripes();
    }

    @Override
    public Footer readFooter(HiveWriterVersion hiveWriterVersion, InputStream inputStream) {
        throw notOfStripes();
    }

    private static IllegalStateException notOfStripes() {
        return new IllegalStateException("Expected metadata of stripes, asked for that of a file");
    }
}
