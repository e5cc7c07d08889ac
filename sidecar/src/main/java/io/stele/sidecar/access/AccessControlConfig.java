package io.stele.sidecar.access;

import io.airlift.configuration.Config;
import io.airlift.configuration.ConfigDescription;
import io.airlift.configuration.validation.FileExists;
import io.airlift.units.Duration;
import io.airlift.units.MinDuration;
import java.io.File;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Settings of access control: the file of access rules, and the period of checks for its changes.
 */
public class AccessControlConfig {
    private Optional<File> rulesFile = Optional.empty();
    private Duration refreshPeriod = new Duration(10, TimeUnit.SECONDS);

    public Optional<@FileExists File> getRulesFile() {
        return rulesFile;
    }

    @Config("stele.access-control.rules-file")
    @ConfigDescription(
            "JSON file of the tables that users of the password file may read and change, as of"
                    + " Trino's file-based access control; not set: all tables")
    public AccessControlConfig setRulesFile(File rulesFile) {
        this.rulesFile = Optional.ofNullable(rulesFile);
        return this;
    }

    @MinDuration("1ms")
    public Duration getRefreshPeriod() {
        return refreshPeriod;
    }

    @Config("stele.access-control.refresh-period")
    @ConfigDescription("How often the file of rules is looked at for changes")
    public AccessControlConfig setRefreshPeriod(Duration refreshPeriod) {
        this.refreshPeriod = refreshPeriod;
        return this;
    }
}
