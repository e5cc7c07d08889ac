package io.stele.flink.source;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * A bounded Flink source of all rows of a table at one snapshot, with one split for each shard.
 * Immutable, and serialized into the job; its readers and its enumerator each open a client of
 * their own.
 */
public final class SteleSource
        implements Source<RowData, ShardSplit, ScanProgress>, ResultTypeQueryable<RowData> {
    private static final long serialVersionUID = 1;

    private final ScanTarget target;

    public SteleSource(ScanTarget target) {
        this.target = requireNonNull(target, "target is null");
    }

    /** A builder of sources for DataStream programs. */
    public static SteleSourceBuilder builder() {
        return new SteleSourceBuilder();
    }

    /**
     * The row type: one field for each column, then one for each metadata column, with Flink's
     * internal values.
     */
    @Override
    public TypeInformation<RowData> getProducedType() {
        return InternalTypeInfo.of(target.producedType());
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<RowData, ShardSplit> createReader(SourceReaderContext context) {
        return new ShardReader(target, context);
    }

    @Override
    public SplitEnumerator<ShardSplit, ScanProgress> createEnumerator(
            SplitEnumeratorContext<ShardSplit> context) {
        List<Integer> shards =
                IntStream.range(0, target.table().schema().shardCount()).boxed().toList();
        return new ShardEnumerator(target, context, new ScanProgress(Optional.empty(), shards));
    }

    @Override
    public SplitEnumerator<ShardSplit, ScanProgress> restoreEnumerator(
            SplitEnumeratorContext<ShardSplit> context, ScanProgress progress) {
        return new ShardEnumerator(target, context, progress);
    }

    @Override
    public SimpleVersionedSerializer<ShardSplit> getSplitSerializer() {
        return new ScanSerializers.OfSplits();
    }

    @Override
    public SimpleVersionedSerializer<ScanProgress> getEnumeratorCheckpointSerializer() {
        return new ScanSerializers.OfProgress();
    }
}
