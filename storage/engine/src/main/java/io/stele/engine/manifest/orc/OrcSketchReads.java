package io.stele.engine.manifest.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.FileChecksums;
import io.stele.columnfile.orc.OrcErrors;
import io.stele.engine.manifest.FileSketches;
import io.stele.engine.manifest.ManifestBase;
import io.stele.engine.manifest.SketchReads;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.ColumnSketch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.StripeInformation;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the column sketches in the ORC files beside manifest bases. It reads a stripe at a
 * time and caches the last one. Confined to one thread.
 */
final class OrcSketchReads implements SketchReads {
    private final ObjectStore store;
    private @Nullable ManifestBase base; // that is open in orc
    private @Nullable Reader orc;
    private @Nullable ChunkedReader chunks; // that orc reads
    private long firstRow; // of the cached stripe
    private List<Optional<byte[]>> stripe = List.of();

    OrcSketchReads(ObjectStore store) {
        this.store = requireNonNull(store, "store is null");
    }

    @Override
    public Map<Integer, ColumnSketch> read(FileSketches sketches) throws IOException {
        Optional<FileSketches.Place> place = sketches.place();
        if (place.isEmpty()) {
            return sketches.inMemory();
        }
        try {
            return OrcErrors.translate(
                    place.get().base().sketchesPath(),
                    () -> read(place.get().base(), place.get().row()));
        } catch (NoSuchFileException gone) {
            return Map.of();
        }
    }

    /** A receiver of the sketches of a base's rows. */
    @FunctionalInterface
    interface RowSketches {
        void accept(long row, ByteBuffer sketches);
    }

    /**
     * Reads the sketches of a base's files, in the order of rows; files without sketches are
     * omitted.
     */
    void forEach(ManifestBase from, RowSketches receiver) throws IOException {
        OrcErrors.translate(
                from.sketchesPath(),
                () -> {
                    Reader reader = opened(from);
                    if (reader.getNumberOfRows() != from.entryCount()) {
                        throw new SteleException(
                                ErrorCode.CORRUPT_DATA,
                                "Expected sketches of %d files, found %d in %s"
                                        .formatted(
                                                from.entryCount(),
                                                reader.getNumberOfRows(),
                                                store.describe(from.sketchesPath())));
                    }
                    long row = 0;
                    for (StripeInformation found : reader.getStripes()) {
                        for (Optional<byte[]> bytes :
                                readStripe(reader, found, ChunkedReader.REQUEST_BYTES)) {
                            if (bytes.isPresent()) {
                                receiver.accept(row, ByteBuffer.wrap(bytes.get()));
                            }
                            row++;
                        }
                    }
                    return row;
                });
    }

    private Reader opened(ManifestBase from) throws IOException {
        Reader reader = orc;
        if (reader == null || !from.equals(base)) {
            String path = from.sketchesPath();
            long size = from.sketchBytes().orElseThrow();
            ChunkedReader opened =
                    new ChunkedReader(store.open(path, size), size, FileChecksums.BLOCK_BYTES);
            reader = OrcManifestBaseFormat.openSketches(store, opened, path, size);
            chunks = opened;
            orc = reader;
            base = from;
            stripe = List.of();
        }
        return reader;
    }

    private Map<Integer, ColumnSketch> read(ManifestBase from, long row) throws IOException {
        Reader reader = opened(from);
        if (row < firstRow || row >= firstRow + stripe.size()) {
            readStripe(reader, row);
        }
        return stripe.get((int) (row - firstRow))
                .map(bytes -> SketchBytes.decode(ByteBuffer.wrap(bytes)))
                .orElse(Map.of());
    }

    private void readStripe(Reader reader, long row) throws IOException {
        // The writer of the next base reads one stripe after the other
        boolean isNext = !stripe.isEmpty() && row == firstRow + stripe.size();
        long first = 0;
        for (StripeInformation found : reader.getStripes()) {
            if (row < first + found.getNumberOfRows()) {
                stripe = readStripe(reader, found, isNext ? ChunkedReader.REQUEST_BYTES : 0);
                firstRow = first;
                return;
            }
            first += found.getNumberOfRows();
        }
        throw new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected sketches of row %d, found %d rows beside %s"
                        .formatted(row, first, requireNonNull(base, "base is null").path()));
    }

    /**
     * @param aheadBytes to request together with the stripe, since the next ones will be read
     */
    private List<Optional<byte[]>> readStripe(
            Reader reader, StripeInformation stripe, int aheadBytes) throws IOException {
        ChunkedReader reads = requireNonNull(chunks, "chunks is null");
        if (!reads.has(stripe.getOffset(), stripe.getLength())) {
            reads.prepare(stripe.getOffset(), Math.max(stripe.getLength(), aheadBytes));
        }
        List<Optional<byte[]>> found = new ArrayList<>();
        Reader.Options options = reader.options().range(stripe.getOffset(), stripe.getLength());
        try (RecordReader rows = reader.rows(options)) {
            VectorizedRowBatch batch = reader.getSchema().createRowBatch();
            while (rows.nextBatch(batch)) {
                for (int row = 0; row < batch.size; row++) {
                    found.add(
                            ManifestRows.bytes((BytesColumnVector) batch.cols[0], row)
                                    .map(OrcSketchReads::copy));
                }
            }
        }
        reads.forget(stripe.getOffset(), stripe.getLength());
        return found;
    }

    private static byte[] copy(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return copy;
    }
}
