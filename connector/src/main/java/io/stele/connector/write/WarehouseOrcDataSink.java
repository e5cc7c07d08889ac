package io.stele.connector.write;

import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.DynamicSliceOutput;
import io.airlift.slice.OutputStreamSliceOutput;
import io.airlift.slice.Slice;
import io.stele.columnfile.metadata.FileMetadataBytes;
import io.stele.objectstore.ObjectWriter;
import io.trino.orc.OrcDataSink;
import io.trino.orc.stream.OrcDataOutput;
import io.trino.orc.stream.StreamDataOutput;
import java.io.IOException;
import java.util.List;

/**
 * The destination of trino-orc's writer for one column file of the warehouse, which also collects
 * the file metadata. Closing it does not publish the file: its owner does. Confined to one thread.
 */
final class WarehouseOrcDataSink implements OrcDataSink {
    private static final int INSTANCE_SIZE = instanceSize(WarehouseOrcDataSink.class);

    private final OutputStreamSliceOutput output;
    private final FileMetadataBytes metadata = new FileMetadataBytes();

    WarehouseOrcDataSink(ObjectWriter writer) {
        this.output = new OutputStreamSliceOutput(requireNonNull(writer, "writer is null"));
    }

    @Override
    public long size() {
        return output.longSize();
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE + output.getRetainedSize() + metadata.sizeBytes();
    }

    @Override
    public void write(List<OrcDataOutput> outputData) {
        for (OrcDataOutput data : outputData) {
            if (isValues(data)) {
                data.writeData(output);
            } else {
                writeMetadata(data);
            }
        }
    }

    private void writeMetadata(OrcDataOutput data) {
        DynamicSliceOutput bytes = new DynamicSliceOutput(Math.toIntExact(data.size()));
        data.writeData(bytes);
        Slice written = bytes.slice();
        metadata.add(output.longSize(), written.getBytes());
        output.writeBytes(written);
    }

    private static boolean isValues(OrcDataOutput data) {
        if (!(data instanceof StreamDataOutput stream)) {
            return false;
        }
        return switch (stream.getStream().getStreamKind()) {
            case ROW_INDEX, BLOOM_FILTER, BLOOM_FILTER_UTF8, DICTIONARY_COUNT -> false;
            case PRESENT, DATA, LENGTH, DICTIONARY_DATA, SECONDARY -> true;
        };
    }

    /** The written bytes other than the columns' values. */
    FileMetadataBytes metadata() {
        return metadata;
    }

    @Override
    public void close() throws IOException {
        output.flush();
    }
}
