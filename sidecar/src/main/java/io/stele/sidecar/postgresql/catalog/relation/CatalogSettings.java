package io.stele.sidecar.postgresql.catalog.relation;

import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;

/**
 * The PostgreSQL settings that clients read by SHOW or catalog queries, with their default values.
 */
public final class CatalogSettings {
    public static final String SERVER_VERSION = "15.0";

    /** The role that owns all relations, in views that name the owner. */
    public static final String OWNER = "stele";

    public static final Map<String, String> DEFAULTS =
            ImmutableSortedMap.<String, String>naturalOrder()
                    .put("application_name", "")
                    .put("bytea_output", "hex")
                    .put("client_encoding", "UTF8")
                    .put("client_min_messages", "notice")
                    .put("datestyle", "ISO, MDY")
                    .put("default_table_access_method", "heap")
                    .put("default_tablespace", "")
                    .put("default_transaction_isolation", "read committed")
                    .put("default_transaction_read_only", "off")
                    .put("extra_float_digits", "1")
                    .put("in_hot_standby", "off")
                    .put("integer_datetimes", "on")
                    .put("intervalstyle", "postgres")
                    .put("is_superuser", "off")
                    .put("jit", "off")
                    .put("lc_collate", "C.UTF-8")
                    .put("lc_ctype", "C.UTF-8")
                    .put("lock_timeout", "0")
                    .put("max_identifier_length", "128")
                    .put("max_index_keys", "1000")
                    .put("search_path", "\"$user\", public")
                    .put("server_encoding", "UTF8")
                    .put("server_version", SERVER_VERSION)
                    .put("server_version_num", "150000")
                    .put("standard_conforming_strings", "on")
                    .put("statement_timeout", "0")
                    .put("timezone", "UTC")
                    .put("transaction_isolation", "read committed")
                    .put("transaction_read_only", "off")
                    .buildOrThrow();

    private CatalogSettings() {}
}
