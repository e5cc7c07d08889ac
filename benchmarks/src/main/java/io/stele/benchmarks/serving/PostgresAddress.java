package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * The address, on this machine, of a server that speaks PostgreSQL's protocol.
 *
 * @param password not used by servers that trust every client
 */
record PostgresAddress(int port, String database, String user, String password) {
    static final String HOST = "127.0.0.1";

    PostgresAddress {
        requireNonNull(database, "database is null");
        requireNonNull(user, "user is null");
        requireNonNull(password, "password is null");
    }

    String jdbcUrl() {
        return "jdbc:postgresql://%s:%d/%s?sslmode=disable".formatted(HOST, port, database);
    }

    Connection connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        return DriverManager.getConnection(jdbcUrl(), properties);
    }

    /** The options of psql and pgbench that name the server. */
    List<String> arguments() {
        return List.of("-h", HOST, "-p", Integer.toString(port), "-U", user);
    }

    /** The environment that psql and pgbench take the password from. */
    Map<String, String> environment() {
        return Map.of("PGPASSWORD", password, "PGSSLMODE", "disable");
    }
}
