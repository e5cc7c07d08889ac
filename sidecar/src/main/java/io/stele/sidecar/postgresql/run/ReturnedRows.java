package io.stele.sidecar.postgresql.run;

import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The rows of RETURNING as messages. They are made before the statement commits: an expression that
 * fails is a failure of the statement.
 */
final class ReturnedRows implements ResultRows {
    private final Iterator<byte[]> messages;

    private ReturnedRows(List<byte[]> messages) {
        this.messages = messages.iterator();
    }

    /**
     * @param rows in the table's layout
     * @param formats of the results, as in a Bind message
     */
    static ReturnedRows of(
            FixedPlan plan,
            RowBuilder builder,
            List<byte[]> rows,
            Scope scope,
            List<Integer> formats)
            throws IOException {
        if (plan.results().isEmpty()) {
            return new ReturnedRows(List.of());
        }
        RowWriter writer = new RowWriter(plan.table(), plan.results(), formats);
        List<byte[]> messages = new ArrayList<>(rows.size());
        for (byte[] row : rows) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            MessageWriter out = new MessageWriter(bytes);
            writer.write(builder.view(row), scope, out);
            out.flush();
            messages.add(bytes.toByteArray());
        }
        return new ReturnedRows(messages);
    }

    @Override
    public boolean writeNext(MessageWriter out) throws IOException {
        if (!messages.hasNext()) {
            return false;
        }
        out.putMessage(messages.next());
        return true;
    }

    @Override
    public void close() {}
}
