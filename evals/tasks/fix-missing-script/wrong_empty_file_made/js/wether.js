// weather
