package io.stele.flink.catalog;

import io.stele.flink.option.ConnectionOptions;
import io.stele.flink.option.SteleOptions;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.catalog.CommonCatalogOptions;
import org.apache.flink.table.factories.CatalogFactory;
import org.apache.flink.table.factories.FactoryUtil;

/**
 * The factory of catalogs with {@code 'type' = 'stele'}. It validates the options and makes no
 * request.
 */
public final class SteleCatalogFactory implements CatalogFactory {
    public static final ConfigOption<String> DEFAULT_DATABASE =
            ConfigOptions.key(CommonCatalogOptions.DEFAULT_DATABASE_KEY)
                    .stringType()
                    .defaultValue("default")
                    .withDescription("The schema that statements name none for.");

    @Override
    public String factoryIdentifier() {
        return "stele";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(SteleOptions.ENDPOINTS, SteleOptions.SECRET);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(
                DEFAULT_DATABASE,
                SteleOptions.TLS_ENABLED,
                SteleOptions.TLS_TRUSTED_CERTIFICATES,
                SteleOptions.CONNECT_TIMEOUT,
                SteleOptions.UNAVAILABLE_TIMEOUT,
                SteleOptions.BUSY_TIMEOUT);
    }

    @Override
    public Catalog createCatalog(Context context) {
        FactoryUtil.CatalogFactoryHelper helper =
                FactoryUtil.createCatalogFactoryHelper(this, context);
        helper.validate();
        ReadableConfig config = helper.getOptions();
        return new SteleCatalog(
                context.getName(), config.get(DEFAULT_DATABASE), ConnectionOptions.of(config));
    }
}
