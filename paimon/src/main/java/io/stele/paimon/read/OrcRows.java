package io.stele.paimon.read;

import static io.trino.memory.context.AggregatedMemoryContext.newSimpleAggregatedMemoryContext;

import io.trino.memory.context.AggregatedMemoryContext;
import io.trino.orc.OrcColumn;
import io.trino.orc.OrcRecordReader;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reader of the rows of one split of an ORC file, by trino-orc. Confined to one driver. */
final class OrcRows implements FileRows {
    private final OrcRecordReader reader;
    private final LakeOrcDataSource source;
    private final AggregatedMemoryContext memory;

    private OrcRows(
            OrcRecordReader reader, LakeOrcDataSource source, AggregatedMemoryContext memory) {
        this.reader = reader;
        this.source = source;
        this.memory = memory;
    }

    /**
     * @param types to decode the columns with
     */
    static OrcRows open(
            FileScan scan,
            OrcFooter footer,
            List<OrcColumn> columns,
            List<Type> types,
            OrcConditions conditions,
            LakeOrcDataSource source)
            throws IOException {
        AggregatedMemoryContext memory = newSimpleAggregatedMemoryContext();
        OrcRecordReader reader =
                footer.records(
                        source,
                        source.metadata(),
                        columns,
                        types,
                        conditions.predicate(),
                        scan.split().start(),
                        scan.split().length(),
                        memory,
                        scan.failures());
        return new OrcRows(reader, source, memory);
    }

    @Override
    public @Nullable SourcePage next() throws IOException {
        return reader.nextPage();
    }

    @Override
    public long firstRow() {
        return reader.getFilePosition();
    }

    @Override
    public long readBytes() {
        return source.getReadBytes();
    }

    @Override
    public long readNanos() {
        return source.getReadTimeNanos();
    }

    @Override
    public long memoryBytes() {
        return memory.getBytes() + source.getRetainedSize();
    }

    @Override
    public Metrics metrics() {
        return Metrics.EMPTY;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
