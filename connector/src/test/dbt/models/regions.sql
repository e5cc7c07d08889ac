{{ config(materialized='table', properties={'primary_key': "ARRAY['region']", 'orientation': "'row,column'"}) }}
SELECT coalesce(region, 'none') AS region, sum(amount) AS amount, count(*) AS payments FROM {{ ref('open_payments') }} GROUP BY region
