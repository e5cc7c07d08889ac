package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleClient;
import io.stele.client.lease.LeasedSnapshot;
import io.stele.flink.table.OpenedTable;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.Optional;
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
 * An unbounded Flink source of the changes of a table, with one split for each shard. The rows of a
 * snapshot may come first. A row's timestamp is that of its commit. Immutable, and serialized into
 * the job; its readers and its enumerator each open a client of their own.
 */
public final class SteleChangeSource
        implements Source<RowData, ChangeSplit, ChangeProgress>, ResultTypeQueryable<RowData> {
    private static final long serialVersionUID = 1;

    private final ChangeTarget target;
    private final boolean hasCheckpoints;

    /**
     * A source of the changes of a table.
     *
     * @param hasCheckpoints whether the job makes checkpoints: the history after the last one is
     *     leased
     */
    public SteleChangeSource(ChangeTarget target, boolean hasCheckpoints) {
        this.target = requireNonNull(target, "target is null");
        this.hasCheckpoints = hasCheckpoints;
    }

    /** A builder of change sources for DataStream programs. */
    public static SteleChangeSourceBuilder builder() {
        return new SteleChangeSourceBuilder();
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
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<RowData, ChangeSplit> createReader(SourceReaderContext context) {
        SteleClient client = target.table().connection().open("flink-changes");
        return new ChangeReader(
                target.table().toString(),
                context,
                new SteleHistory(target, client),
                new ChangeFetcher.Times(
                        target.options().pollInterval(),
                        target.table().connection().unavailableTimeout(),
                        target.options().leaseTime()));
    }

    @Override
    public SplitEnumerator<ChangeSplit, ChangeProgress> createEnumerator(
            SplitEnumeratorContext<ChangeSplit> context) {
        return restoreEnumerator(context, ChangeProgress.NONE);
    }

    @Override
    public SplitEnumerator<ChangeSplit, ChangeProgress> restoreEnumerator(
            SplitEnumeratorContext<ChangeSplit> context, ChangeProgress progress) {
        return new ChangeEnumerator(
                target.table().schema(),
                target.options(),
                historyLease(progress.held()),
                context,
                progress,
                hasCheckpoints);
    }

    private HistoryLease historyLease(Optional<LeasedSnapshot> held) {
        SteleClient client = target.table().connection().open("flink-changes");
        TableId id = target.table().schema().id();
        Lsn start = held.map(LeasedSnapshot::lsn).or(target.options()::start).orElse(Lsn.MIN);
        OpenedTable table = new OpenedTable(() -> SteleHistory.open(target, client, id, start));
        return new SteleHistoryLease(
                table.leases(id, target.options().leaseTime()), held, client::close);
    }

    @Override
    public SimpleVersionedSerializer<ChangeSplit> getSplitSerializer() {
        return new ChangeSerializers.OfSplits();
    }

    @Override
    public SimpleVersionedSerializer<ChangeProgress> getEnumeratorCheckpointSerializer() {
        return new ChangeSerializers.OfProgress();
    }
}
