package io.stele.connector.write;

import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.OutputStreamSliceOutput;
import io.stele.storage.objectstore.ObjectWriter;
import io.trino.orc.OrcDataSink;
import io.trino.orc.stream.OrcDataOutput;
import java.io.IOException;
import java.util.List;

/**
 * Where trino-orc writes a file of the warehouse. Closing it does not publish the file: its owner
 * does. Confined to one thread.
 */
final class WarehouseOrcDataSink implements OrcDataSink {
    private static final int INSTANCE_SIZE = instanceSize(WarehouseOrcDataSink.class);

    private final OutputStreamSliceOutput output;

    WarehouseOrcDataSink(ObjectWriter writer) {
        this.output = new OutputStreamSliceOutput(requireNonNull(writer, "writer is null"));
    }

    @Override
    public long size() {
        return output.longSize();
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE + output.getRetainedSize();
    }

    @Override
    public void write(List<OrcDataOutput> outputData) {
        outputData.forEach(data -> data.writeData(output));
    }

    @Override
    public void close() throws IOException {
        output.flush();
    }
}
