package io.stele.columnfile.orc.write;

import io.stele.columnfile.metadata.FileMetadataBytes;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.orc.OrcFile;
import org.apache.orc.OrcProto;
import org.apache.orc.impl.PhysicalFsWriter;
import org.apache.orc.impl.writer.WriterEncryptionVariant;
import org.jspecify.annotations.Nullable;

/**
 * An output stream that records the metadata of an ORC file (row indexes, stripe footers) while the
 * ORC library writes it. A stripe begins with its row indexes, whose length is known at its end,
 * and ends with its footer. Confined to one thread.
 */
final class StripeMetadataRecorder extends FilterOutputStream {
    /**
     * The limit for one stripe; longer row indexes are not recorded, and readers read them from the
     * file.
     */
    private static final int MAX_INDEX_BYTES = 256 << 10;

    /** The limit for all stripes. */
    private static final long MAX_BYTES = 1 << 20;

    private final LastBytes last;
    private final FileMetadataBytes noted = new FileMetadataBytes();
    private @Nullable ByteArrayOutputStream beginning; // of the stripe that is being written
    private long position;
    private long stripeStart;
    private long stripesEnd;

    StripeMetadataRecorder(LastBytes last) {
        super(last);
        this.last = last;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        if (beginning != null) {
            int room = MAX_INDEX_BYTES - beginning.size();
            beginning.write(bytes, offset, Math.min(length, room));
        }
        position += length;
    }

    private void begin() {
        stripeStart = position;
        beginning = new ByteArrayOutputStream();
    }

    private void end(OrcProto.StripeInformation.Builder stripe) {
        byte[] start = beginning == null ? new byte[0] : beginning.toByteArray();
        beginning = null;
        stripesEnd = position;
        long index = stripe.getIndexLength();
        long footer = stripe.getFooterLength();
        boolean isShort =
                index <= start.length
                        && footer <= LastBytes.MAX_BYTES
                        && noted.sizeBytes() + index + footer <= MAX_BYTES;
        if (isShort) {
            noted.add(stripeStart, Arrays.copyOf(start, (int) index));
            noted.add(position - footer, last.bytes((int) footer));
        }
    }

    /** The recorded bytes of the finished file; empty if its end is too long. */
    Optional<FileMetadataBytes> finish() {
        long end = position - stripesEnd;
        if (end > LastBytes.MAX_BYTES) {
            return Optional.empty();
        }
        noted.add(stripesEnd, last.bytes((int) end));
        return Optional.of(noted);
    }

    /** The library's writer of stripes, which notifies this recorder. */
    PhysicalFsWriter writer(OrcFile.WriterOptions options) throws IOException {
        return new NotedWriter(this, options);
    }

    private static final class NotedWriter extends PhysicalFsWriter {
        private final StripeMetadataRecorder recorder;

        NotedWriter(StripeMetadataRecorder recorder, OrcFile.WriterOptions options)
                throws IOException {
            super(new FSDataOutputStream(recorder, null), options, new WriterEncryptionVariant[0]);
            this.recorder = recorder;
        }

        @Override
        public void finalizeStripe(
                OrcProto.StripeFooter.Builder footer, OrcProto.StripeInformation.Builder stripe)
                throws IOException {
            recorder.begin();
            super.finalizeStripe(footer, stripe);
            recorder.end(stripe);
        }
    }
}
