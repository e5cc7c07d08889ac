package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.ingest.UserRows;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collections;

/**
 * A store of the serving benchmark by PostgreSQL's JDBC driver, which is PostgreSQL or Stele's port
 * for its protocol; statements are prepared.
 */
final class JdbcStore implements ServingStore {
    private static final String UPSERT =
            ServingRows.UPSERT.formatted(
                    "?, " + String.join(", ", Collections.nCopies(UserRows.FIELDS, "?")));

    private final String name;
    private final PostgresAddress address;

    JdbcStore(String name, PostgresAddress address) {
        this.name = requireNonNull(name, "name is null");
        this.address = requireNonNull(address, "address is null");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Session open() throws SQLException {
        return new JdbcSession(address.connect());
    }

    @Override
    public void close() {}

    private static final class JdbcSession implements Session {
        private final Connection connection;
        private final PreparedStatement get;
        private final PreparedStatement multiGet;
        private final PreparedStatement upsert;

        JdbcSession(Connection connection) throws SQLException {
            this.connection = connection;
            this.get = connection.prepareStatement(ServingRows.GET + "?");
            this.multiGet = connection.prepareStatement(ServingRows.MULTI_GET);
            this.upsert = connection.prepareStatement(UPSERT);
        }

        @Override
        public void get(long id) throws SQLException {
            get.setLong(1, id);
            ServingStore.checkFound(1, read(get));
        }

        @Override
        public void multiGet(long[] ids) throws SQLException {
            Long[] boxed = new Long[ids.length];
            for (int i = 0; i < ids.length; i++) {
                boxed[i] = ids[i];
            }
            Array array = connection.createArrayOf("bigint", boxed);
            multiGet.setArray(1, array);
            ServingStore.checkFound(distinct(ids), read(multiGet));
        }

        private static int distinct(long[] ids) {
            return (int) Arrays.stream(ids).distinct().count();
        }

        private static int read(PreparedStatement statement) throws SQLException {
            int rows = 0;
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    result.getLong(1);
                    for (int column = 2; column <= ServingRows.COLUMNS; column++) {
                        result.getString(column);
                    }
                    rows++;
                }
            }
            return rows;
        }

        @Override
        public void upsert(long id) throws SQLException {
            Object[] values = ServingRows.values(id);
            upsert.setLong(1, id);
            for (int parameter = 2; parameter <= ServingRows.COLUMNS; parameter++) {
                upsert.setString(parameter, (String) values[parameter - 1]);
            }
            ServingStore.checkFound(1, upsert.executeUpdate());
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
