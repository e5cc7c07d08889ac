package io.stele.flink.source;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.protocol.Lsn;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The serializers of splits and of the progress of a scan, for checkpoints and messages. Stateless.
 */
final class ScanSerializers {
    private static final String OWNER = "a scan";
    private static final int VERSION = 1;

    private ScanSerializers() {}

    static final class OfSplits extends StateSerializer<ShardSplit> {
        OfSplits() {
            super(OWNER, VERSION);
        }

        @Override
        protected void write(ShardSplit split, DataOutputStream output) throws IOException {
            output.writeInt(split.shard());
            output.writeUTF(split.snapshotId());
            output.writeLong(split.readLsn().value());
        }

        @Override
        protected ShardSplit read(DataInputStream input) throws IOException {
            return new ShardSplit(input.readInt(), input.readUTF(), new Lsn(input.readLong()));
        }
    }

    static final class OfProgress extends StateSerializer<ScanProgress> {
        OfProgress() {
            super(OWNER, VERSION);
        }

        @Override
        protected void write(ScanProgress progress, DataOutputStream output) throws IOException {
            write(progress.snapshot(), output);
            output.writeInt(progress.shards().size());
            for (int shard : progress.shards()) {
                output.writeInt(shard);
            }
        }

        @Override
        protected ScanProgress read(DataInputStream input) throws IOException {
            Optional<LeasedSnapshot> snapshot = readSnapshot(input);
            int count = input.readInt();
            List<Integer> shards = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                shards.add(input.readInt());
            }
            return new ScanProgress(snapshot, shards);
        }
    }
}
