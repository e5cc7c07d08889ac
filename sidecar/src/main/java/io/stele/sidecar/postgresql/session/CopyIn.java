package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.copy.CopyOptions;
import io.stele.sidecar.postgresql.copy.CopyReader;
import io.stele.sidecar.postgresql.plan.FixedPlan.InsertPlan;
import io.stele.sidecar.postgresql.plan.ParameterTypes;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.run.Client;
import io.stele.sidecar.postgresql.type.BinaryFormat;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.stele.sidecar.postgresql.wire.Message;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of one COPY FROM STDIN on their way into a transaction. Confined to one thread. */
final class CopyIn {
    private static final int ROWS_AT_ONCE = 1_000;
    private static final long BYTES_AT_ONCE = 1 << 20;

    /** Where the rows go. */
    interface Target {
        /** Takes rows, each as the values of the plan's parameters; returns their number. */
        long add(List<List<@Nullable Object>> rows) throws IOException;
    }

    private final Target target;
    private final InsertPlan plan;
    private final Scope.Session session;
    private final Client client;
    private final CopyOptions options;
    private final CopyReader reader;
    private final List<List<@Nullable Object>> waiting = new ArrayList<>();
    private long waitingBytes;
    private long count;

    /**
     * @param plan INSERT of one row of parameters
     */
    CopyIn(
            Target target,
            InsertPlan plan,
            CopyOptions options,
            Scope.Session session,
            Client client) {
        this.target = target;
        this.plan = plan;
        this.options = options;
        this.session = session;
        this.client = client;
        this.reader = new CopyReader(options, plan.parameters().size());
    }

    void add(byte[] bytes) throws IOException {
        client.cancellation().check();
        reader.add(bytes);
        take(false);
    }

    /** All has come; returns the number of rows. */
    long end() throws IOException {
        take(true);
        insert();
        return count;
    }

    private void take(boolean isLast) throws IOException {
        Optional<List<Optional<byte[]>>> row = reader.next(isLast);
        while (row.isPresent()) {
            waiting.add(values(row.get()));
            for (Optional<byte[]> value : row.get()) {
                waitingBytes += value.map(bytes -> bytes.length).orElse(0);
            }
            if (waiting.size() == ROWS_AT_ONCE || waitingBytes > BYTES_AT_ONCE) {
                insert();
            }
            row = reader.next(isLast);
        }
    }

    private void insert() throws IOException {
        if (!waiting.isEmpty()) {
            count += target.add(waiting);
            waiting.clear();
            waitingBytes = 0;
        }
    }

    private List<@Nullable Object> values(List<Optional<byte[]>> row) {
        List<@Nullable Object> values = new ArrayList<>(row.size());
        for (int i = 0; i < row.size(); i++) {
            values.add(value(plan.parameters().get(i), row.get(i), i));
        }
        return values;
    }

    private @Nullable Object value(ParameterTypes.Type type, Optional<byte[]> value, int column) {
        if (value.isEmpty()) {
            return null;
        }
        try {
            return options.format() == CopyOptions.Format.BINARY
                    ? BinaryFormat.read(type.type(), value.get())
                    : TextFormat.read(
                            type.type(),
                            Message.decode(ByteBuffer.wrap(value.get())),
                            session.zone());
        } catch (PostgresException wrong) {
            throw new PostgresException(
                    wrong.state(),
                    "%s, in row %s of COPY, value %s"
                            .formatted(wrong.getMessage(), reader.rowNumber(), column + 1));
        }
    }

    /** The client gave COPY up. */
    static PostgresException givenUp(String reason) {
        return new PostgresException(SqlState.QUERY_CANCELED, "The client gave COPY up: " + reason);
    }
}
