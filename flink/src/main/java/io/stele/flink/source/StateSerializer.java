package io.stele.flink.source;

import static java.util.Objects.requireNonNull;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.protocol.Lsn;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Optional;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A serializer of one kind of state of a source, for checkpoints and messages. It reads one version
 * of the bytes, and refuses others. Immutable.
 */
public abstract class StateSerializer<T> implements SimpleVersionedSerializer<T> {
    private final String owner;
    private final int version;

    /**
     * A serializer of one version.
     *
     * @param owner the source, for error messages
     * @param version the version of the bytes
     */
    protected StateSerializer(String owner, int version) {
        this.owner = requireNonNull(owner, "owner is null");
        this.version = version;
    }

    protected abstract void write(T state, DataOutputStream output) throws IOException;

    protected abstract T read(DataInputStream input) throws IOException;

    @Override
    public final int getVersion() {
        return version;
    }

    @Override
    public final byte[] serialize(T state) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        write(state, new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    @Override
    public final T deserialize(int found, byte[] serialized) throws IOException {
        if (found != version) {
            throw new IOException(
                    "Expected the state of %s of version %d, found %d"
                            .formatted(owner, version, found));
        }
        return read(new DataInputStream(new ByteArrayInputStream(serialized)));
    }

    /** Writes an optional snapshot: whether it exists, its id as modified UTF-8, and its LSN. */
    protected static void write(Optional<LeasedSnapshot> snapshot, DataOutputStream output)
            throws IOException {
        output.writeBoolean(snapshot.isPresent());
        if (snapshot.isPresent()) {
            output.writeUTF(snapshot.get().id());
            output.writeLong(snapshot.get().lsn().value());
        }
    }

    protected static Optional<LeasedSnapshot> readSnapshot(DataInputStream input)
            throws IOException {
        return input.readBoolean()
                ? Optional.of(new LeasedSnapshot(input.readUTF(), new Lsn(input.readLong())))
                : Optional.empty();
    }
}
