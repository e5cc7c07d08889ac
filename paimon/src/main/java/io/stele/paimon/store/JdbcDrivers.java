package io.stele.paimon.store;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;

import io.airlift.log.Logger;
import io.trino.spi.TrinoException;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * The JDBC drivers whose jars lie in the plugin's folder, for a metastore that is a database.
 * Java's manager of drivers looks for them once per process, before this plugin is loaded.
 * Thread-safe.
 */
final class JdbcDrivers {
    private static final Logger log = Logger.get(JdbcDrivers.class);

    private JdbcDrivers() {}

    /**
     * Registers the drivers of the plugin.
     *
     * @throws TrinoException if none of them knows the database
     */
    static synchronized void register(ClassLoader plugin, String uri) {
        Iterator<Driver> found = ServiceLoader.load(Driver.class, plugin).iterator();
        while (true) {
            try {
                if (!found.hasNext()) {
                    break;
                }
                register(found.next()); // many register themselves when they are loaded
            } catch (ServiceConfigurationError | SQLException e) {
                log.warn(e, "A JDBC driver cannot be used");
            }
        }
        List<String> names = new ArrayList<>();
        for (Driver driver : DriverManager.drivers().toList()) {
            if (accepts(driver, uri)) {
                return;
            }
            names.add(driver.getClass().getName());
        }
        throw new TrinoException(
                PAIMON_STORE_ERROR,
                "Expected the jar of a JDBC driver for %s in the folder of the plugin stele_paimon, found %s"
                        .formatted(withoutSecrets(uri), names.isEmpty() ? "no driver" : names));
    }

    private static void register(Driver driver) throws SQLException {
        boolean isRegistered =
                DriverManager.drivers().anyMatch(other -> other.getClass() == driver.getClass());
        if (!isRegistered) {
            DriverManager.registerDriver(driver);
        }
    }

    private static boolean accepts(Driver driver, String uri) {
        try {
            return driver.acceptsURL(uri);
        } catch (SQLException e) {
            log.debug(e, "A driver does not take %s", withoutSecrets(uri));
            return false;
        }
    }

    /** The URI without its parameters, which may have a password. */
    private static String withoutSecrets(String uri) {
        return uri.split("[?;]", 2)[0];
    }
}
