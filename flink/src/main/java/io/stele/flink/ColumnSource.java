package io.stele.flink;

import static java.util.Objects.requireNonNull;

import io.stele.flink.lookup.LookupPartitioner;
import io.stele.flink.lookup.LookupProviders;
import io.stele.flink.table.BoundTable;
import io.stele.flink.table.ChangeMetadata;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsLookupCustomShuffle;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;

/**
 * The common base of Stele's table sources: projected columns, metadata columns, and lookups by
 * key. Subclasses add the scan. It makes no request: it describes what the job will run. Confined
 * to the planner's thread.
 */
abstract class ColumnSource
        implements ScanTableSource,
                LookupTableSource,
                SupportsLookupCustomShuffle,
                SupportsProjectionPushDown,
                SupportsReadingMetadata {
    private final ReadableConfig config;
    private BoundTable table;
    private List<ChangeMetadata> metadata;

    /** The declared fields by which joins look rows up. Joins of one query may share a source. */
    private final Set<List<Integer>> lookupKeys = new HashSet<>();

    ColumnSource(BoundTable table, List<ChangeMetadata> metadata, ReadableConfig config) {
        this.table = requireNonNull(table, "table is null");
        this.metadata = List.copyOf(metadata);
        this.config = requireNonNull(config, "config is null");
    }

    final BoundTable table() {
        return table;
    }

    final List<ChangeMetadata> metadata() {
        return metadata;
    }

    final ReadableConfig config() {
        return config;
    }

    @Override
    public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
        if (!metadata.isEmpty()) {
            throw new ValidationException(
                    "Expected no metadata column of table %s in a lookup join, found %s"
                            .formatted(table, metadata));
        }
        int[] keys = Arrays.stream(context.getKeys()).mapToInt(path -> path[0]).toArray();
        lookupKeys.add(IntStream.of(keys).boxed().toList());
        return LookupProviders.of(table, keys, config);
    }

    /**
     * The shuffle by shard before a lookup join, which Flink asks for after the lookups; empty if
     * it is not known to which of several joins it belongs.
     */
    @Override
    public Optional<InputDataPartitioner> getPartitioner() {
        return lookupKeys.size() == 1
                ? LookupPartitioner.of(table, fields(lookupKeys.iterator().next()))
                : Optional.empty();
    }

    private static int[] fields(List<Integer> key) {
        return key.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public boolean supportsNestedProjection() {
        return false;
    }

    @Override
    public void applyProjection(int[][] projectedFields, DataType producedDataType) {
        int[] fields = Arrays.stream(projectedFields).mapToInt(path -> path[0]).toArray();
        table = table.project((RowType) producedDataType.getLogicalType(), fields);
    }

    @Override
    public Map<String, DataType> listReadableMetadata() {
        return ChangeMetadata.types();
    }

    @Override
    public void applyReadableMetadata(List<String> metadataKeys, DataType producedDataType) {
        metadata = ChangeMetadata.of(metadataKeys);
    }

    @Override
    public String asSummaryString() {
        return "Stele table " + table;
    }
}
